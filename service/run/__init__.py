"""`python -m service run`: everything that one machine needs to answer, as children of one process.

`supervisor` starts the children in order and stops them in reverse; `embedded` is the Redis server of our own, when
no REDIS_URL names another; `web` is gunicorn; `folder` keeps two Shorebreaks out of one DATA_DIR; `terminal` lets
Ctrl-C under `make` end with exit code 0. Whatever ends the parent, even kill -9, ends the children.
"""
