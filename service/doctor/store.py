"""The store: does each master answer, keep what it is given, forget nothing, and take what is written."""

from collections.abc import Callable, Iterator

from service.doctor.finding import Finding, look, ok, unseen, wrong
from service.settings import Settings, without_password
from service.store.errors import StoreUnavailable
from service.store.examine import Examined, examine, news_arrive
from service.store.site import Site

OLDEST = (7, 0)
SLOW_TRIP_MS = 5.0
SLOW_WRITE_MS = 20.0
OFF_MS, FAR_OFF_MS = 500.0, 5_000.0
CROWDED, FULL = 0.8, 0.95
REFUSED = {
    "NOPERM": "Let its user run EVAL and EVALSHA, and what they call, on keys that begin with `sb:`.",
    "permission": "Let its user run EVAL and EVALSHA, and what they call, on keys that begin with `sb:`.",
    "replicas": "See what is said of its replicas.",
    "maxmemory": "See what is said of its memory.",
    "read only": "See what is said of its role.",
}
"""By what stands in a refusal: what to do."""
CONNECTIONS_BESIDE = 4
"""Connections of one process beside its pool: subscriptions, and what asks for masters."""


def findings(settings: Settings, url: str, now_ms: Callable[[], int]) -> Iterator[Finding]:
    """All that there is to say of the store at this address."""
    site = Site(url, settings.store_timeout_s)
    many = url.partition("://")[0].rpartition("+")[2] in ("cluster", "sentinel")
    try:
        masters = examine(site, now_ms, settings.store_replicas)
    except StoreUnavailable as silent:
        masters = [Examined(place="the store", down=str(silent))]
    for master in masters:
        if master.down:
            yield _down(master, url)
            continue
        for judge in (_version, _role, _durability, _eviction, _memory):
            yield judge(master)
        yield _clock(master)
        yield _replicas(master, settings, many)
        yield _writes(master)
        yield _connections(master, settings)
        if master.info.get("cluster_enabled") == "1":
            yield _coverage(master)
    if all(not master.down for master in masters):
        yield _news(news_arrive(site))


def _named(check: str, master: Examined) -> str:
    return check if master.place == "the store" else f"{check} of {master.place}"


def _down(master: Examined, url: str) -> Finding:
    hint = "Is it running, and does the address lead there from here? Try: redis-cli -u <REDIS_URL> ping"
    if "NOAUTH" in master.down or "WRONGPASS" in master.down or "invalid username" in master.down:
        hint = "Put its user and password into REDIS_URL: redis://user:password@host:port/0"
    says = f"{without_password(url)} does not answer: {master.down}"
    return wrong(_named("store", master), says, hint)


def _version(master: Examined) -> Finding:
    check, told = _named("version", master), master.info.get("redis_version")
    if told is None:
        return unseen(check, "its version")
    name = master.info.get("server_name", "redis")
    own = master.info.get("valkey_version")
    says = f"it is {'Valkey ' + own if name == 'valkey' and own else 'Redis ' + told}"
    if tuple(int(part) for part in told.split(".")[:2] if part.isdigit()) < OLDEST:
        return wrong(check, f"{says}, which is too old", "Use Redis 7.0 or later, or Valkey.")
    return (
        ok(check, f"{says}, one exchange takes {master.trip_ms:.2f} ms")
        if master.trip_ms < SLOW_TRIP_MS
        else look(
            check,
            f"{says}, and one exchange takes {master.trip_ms:.1f} ms, which every move waits for",
            "Run it near the web servers: in the same network, better on the same machine.",
        )
    )


def _role(master: Examined) -> Finding:
    check, role = _named("role", master), master.info.get("role")
    if role is None:
        return unseen(check, "whether it is a master")
    if role != "master":
        return wrong(
            check,
            "it is a replica: it takes no writes",
            "Let REDIS_URL lead to the master, or name the Sentinels or the cluster (docs/scaling.md).",
        )
    return ok(check, "it is a master")


def _durability(master: Examined) -> Finding:
    check, kept, synced = _named("durability", master), master.info.get("aof_enabled"), master.config.get("appendfsync")
    if kept is None:
        return unseen(check, "whether it keeps an append-only file")
    if kept == "0":
        return wrong(
            check,
            "it keeps no append-only file: when it restarts, answered moves are lost, or all matches",
            "CONFIG SET appendonly yes, and `appendonly yes` in its configuration (deploy/redis.conf). Managed: switch "
            "on its append-only persistence.",
        )
    if master.info.get("aof_last_write_status", "ok") != "ok":
        return wrong(check, "its last write to the append-only file failed", "See its log: is its disk full?")
    if synced is None:
        return ok(check, "it keeps an append-only file; how often that is synced could not be seen")
    if synced == "always":
        return ok(check, f"every write is on disk before it is answered ({master.write_ms:.2f} ms a write)")
    if synced == "everysec":
        return look(
            check,
            "when its machine dies, the last second of answered moves is lost (appendfsync everysec)",
            "CONFIG SET appendfsync always, and the same in its configuration; or leave it so, knowingly.",
        )
    return wrong(
        check,
        f"when its machine dies, up to half a minute of answered moves is lost (appendfsync {synced})",
        "CONFIG SET appendfsync always, and the same in its configuration.",
    )


def _eviction(master: Examined) -> Finding:
    check, policy = _named("eviction", master), master.info.get("maxmemory_policy")
    if policy is None:
        return unseen(check, "what it does when its memory is full")
    gone = int(master.info.get("evicted_keys", "0"))
    if policy != "noeviction":
        already = f", and has done so {gone} times" if gone else ""
        return wrong(
            check,
            f"when its memory is full it forgets matches in play ({policy}){already}",
            "CONFIG SET maxmemory-policy noeviction, and the same in its configuration.",
        )
    if gone:
        return look(
            check,
            f"it forgets nothing now, but has done so {gone} times before",
            "Look whether matches are missed.",
        )
    return ok(check, "when its memory is full it refuses writes, and forgets nothing")


def _memory(master: Examined) -> Finding:
    check, info = _named("memory", master), master.info
    if "used_memory" not in info:
        return unseen(check, "how much memory it uses")
    used, most, machine = (int(info.get(name, "0")) for name in ("used_memory", "maxmemory", "total_system_memory"))
    bound = most or round(0.6 * machine)
    if not bound:
        return ok(check, f"it uses {_size(used)}; what it may use could not be seen")
    what = f"it uses {_size(used)} of {_size(bound)}" + ("" if most else ", 60 % of its machine: it has no maxmemory")
    if used > FULL * bound:
        return wrong(check, f"{what}: soon it refuses every write", "CONFIG SET maxmemory higher, or a larger server.")
    if used > CROWDED * bound:
        return look(check, what, "Plan for more memory, or keep finished matches for less time (FINISHED_TTL_S).")
    return ok(check, what)


def _clock(master: Examined) -> Finding:
    check, ahead_ms = _named("clock", master), master.ahead_ms
    if ahead_ms is None:
        return unseen(check, "its time")
    says = f"its clock and this machine's are {abs(ahead_ms) / 1000:.3f} s apart"
    do = "Let all machines ask a time server (chrony, systemd-timesyncd): turns are timed by the machines' own clocks."
    if abs(ahead_ms) >= FAR_OFF_MS:
        return wrong(check, says, do)
    return look(check, says, do) if abs(ahead_ms) >= OFF_MS else ok(check, says)


def _replicas(master: Examined, settings: Settings, many: bool) -> Finding:
    check, told = _named("replicas", master), master.info.get("connected_slaves")
    if told is None:
        return unseen(check, "its replicas")
    there, wanted = int(told), settings.store_replicas
    least = int(master.config.get("min-replicas-to-write", "0"))
    says = f"{there} {'replica follows' if there == 1 else 'replicas follow'} it"
    if there < wanted:
        return wrong(
            check,
            f"{says}, and STORE_REPLICAS is {wanted}: every write is answered 503 outcome_unknown",
            f"Start {wanted - there} more, or lower STORE_REPLICAS.",
        )
    if there < least:
        return wrong(
            check,
            f"{says}, and min-replicas-to-write is {least}: it refuses every write",
            "Start more of them, or lower min-replicas-to-write.",
        )
    if many and not there:
        return look(check, f"{says}: nobody takes over when it dies", "Give it a replica.")
    return ok(check, says)


def _writes(master: Examined) -> Finding:
    check = _named("writes", master)
    if master.trial:
        return wrong(
            check,
            f"it runs no script that writes: {master.trial}",
            next((hint for word, hint in REFUSED.items() if word in master.trial), "Its log may say more."),
        )
    if master.write_ms > SLOW_WRITE_MS:
        return look(
            check,
            f"scripts run; one that writes takes {master.write_ms:.1f} ms, which every move waits for",
            "Give its append-only file a faster disk.",
        )
    return ok(check, f"scripts run; one that writes takes {master.write_ms:.2f} ms")


def _connections(master: Examined, settings: Settings) -> Finding:
    check, told = _named("connections", master), master.info.get("maxclients")
    if told is None:
        return unseen(check, "how many connections it takes")
    needed = (settings.web_workers + 1) * (settings.store_connections + CONNECTIONS_BESIDE)
    says = f"it takes {told} connections; web processes and a worker of this machine may open {needed}"
    if needed > int(told):
        return look(check, says, "CONFIG SET maxclients higher, or lower STORE_CONNECTIONS.")
    return ok(check, says)


def _coverage(master: Examined) -> Finding:
    check = _named("cluster", master)
    if master.info.get("cluster_state") != "ok":
        return wrong(
            check,
            f"it says that its cluster is {master.info.get('cluster_state', 'unknown')}",
            "See redis-cli --cluster check; `fix` repairs what can be.",
        )
    if master.config.get("cluster-require-full-coverage") == "yes":
        return look(
            check,
            "when one master dies without a replica, all refuse (cluster-require-full-coverage yes)",
            "CONFIG SET cluster-require-full-coverage no on every node, and the same in their configuration.",
        )
    return ok(check, f"{master.info.get('cluster_slots_assigned', '?')} of 16384 slots are served")


def _news(fault: str) -> Finding:
    if fault:
        return wrong(
            "news",
            f"what is published does not arrive: {fault}",
            "Let its user SUBSCRIBE and PUBLISH (cluster: SSUBSCRIBE, SPUBLISH) on channels that begin with `sb:`.",
        )
    return ok("news", "what is published arrives at those who wait")


def _size(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.1f} MB"
