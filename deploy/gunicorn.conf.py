"""What gunicorn is told, line by line, with the reason. `python -m service web` reads this file, wherever it is
started: by `make run`, in the image, in Kubernetes, by systemd. Nothing else configures gunicorn.

What differs from one installation to the next are the settings (docs/settings.md). It is not meant for the command
`gunicorn` itself, for that would come without the master that stops gently (service/draining.py).
"""

import os

from service import serving, web_worker
from service.settings import Settings

settings = Settings.from_env(os.environ)

# HOST and PORT; a socket that is open already (`--listener`: from `make run`, or systemd) takes their place.
bind = serving.address(settings)

# As many as WEB_WORKERS says; one or two for each core. They share nothing but the port and the counters of /metrics.
workers = settings.web_workers

# gevent: thousands of clients wait at once, each for a few kilobytes. Ours also refuses what is no request in the one
# shape of errors, waits for slow clients no longer than told, and stops without waiting for silence.
worker_class = web_worker.Worker

# Connections of one worker. Further ones wait in the backlog, where another worker may take them.
worker_connections = settings.web_connections

# As many may wait to be accepted while all workers start anew. The system's net.core.somaxconn applies as well.
backlog = 2048

# Workers prove that they live by touching a file. On a slow disk that alone could look like standing still.
worker_tmp_dir = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # noqa: S108  # gunicorn makes private files in it

# A worker whose event loop stands still for so long is killed and replaced. No request keeps it busy for a second.
timeout = 30

# Told to stop, a worker has so long for what it has begun: STOP_TIMEOUT_S.
graceful_timeout = max(1, round(settings.stop_timeout_s))

# A bot that thinks for a minute still finds its connection open. Longer than proxies in front keep theirs (60 s), lest
# one sends a request at the moment in which its connection is closed here.
keepalive = 75

# Requests are small: a path of some hundred bytes, a token, a key. What is longer is refused before anybody reads it.
limit_request_line = 4094
limit_request_fields = 64
limit_request_field_size = 8190

# Answers are written by pieces, each with its deadline (service/patience.py); there are no files to send.
sendfile = False

# Nobody is believed who says for whom a request comes, or how: TRUSTED_PROXIES does that.
forwarded_allow_ips = ""
secure_scheme_headers: dict[str, str] = {}
forwarder_headers = ""

# Its lines go where all others go. Its everyday ones (workers coming and going) are for debugging. It keeps no access
# log: that is the application's, which knows what may stand in one.
logger_class = serving.Log
loglevel = "warning" if settings.log_level == "info" else settings.log_level

# Its default path is shared between all instances on a machine, and nothing here speaks to it.
control_socket_disable = True

# The application is loaded in each worker, after gevent has patched the standard library: not once in the master.
preload_app = False

# Counters start at zero with the server. Here, and not when this file is read: a reload reads it again.
on_starting = serving.wipe_metrics

# A worker ends with its master, so that the port is free again at once.
post_fork = serving.tie_to_master

# Nobody waits while Python looks for cycles among what thousands of clients hold.
post_worker_init = serving.collect_garbage_seldom

# While the server is about to go, each connection ends with its answer, and says so.
pre_request = serving.close_when_leaving

# What a worker has counted in its last second is not lost with it.
worker_exit = serving.count_the_last

# A worker that is gone counts no more among what is open now.
child_exit = serving.forget_metrics
