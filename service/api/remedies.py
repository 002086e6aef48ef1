"""What to do about each problem: the sentences of the page that every problem's `type` leads to."""

REMEDIES: dict[str, str] = {
    "not_found": "Look the address up in /openapi.json. Addresses have no trailing slash.",
    "method_not_allowed": "Use one of the methods that the header `Allow` names.",
    "too_large": "Send less. No request that is meant here needs that much.",
    "too_slow": "Send head and body at once. The connection is closed; begin anew.",
    "unsupported_media_type": "Send JSON with `Content-Type: application/json`.",
    "rate_limited": "Wait for `Retry-After` seconds. `limit` names what was counted: `create`, `claim`, `bot`, `seat`, "
    "`join_code`, `moves`, `connections` (and who waits).",
    "malformed": "Send well-formed JSON in UTF-8.",
    "unknown_game": "GET /v1/games lists the games.",
    "unknown_match": "Check the id, and that it is asked for under its own game. Matches are forgotten some time after "
    "their last change.",
    "unknown_seat": "Seats are counted from 0; the public match lists them.",
    "unauthenticated": "Send `Authorization: Bearer <token>` with the newest token of this seat or host. Repeating a "
    "claim or a creation, and renewing, end the token before.",
    "wrong_seat": "Use this seat's own token. The host's token opens no seat.",
    "invalid": "`errors` says which field does not fit, and why. The schema is in /openapi.json.",
    "wrong_join_code": "Ask the host for the match's join code.",
    "host_only": "Use the host token that creating the match gave.",
    "idempotency_mismatch": "Use a fresh Idempotency-Key for every new request, and the same one only to repeat.",
    "match_waiting": "Wait for `match_started` in the feed: the match starts when its last seat is claimed.",
    "match_started": "It is too late for this: find a match that waits, or watch this one.",
    "match_over": "Nothing more happens here. The replay is open.",
    "match_not_finished": "Wait for `match_finished` or `match_aborted` in the feed.",
    "seat_taken": "Claim another seat, or leave `seat` out to get the lowest open one.",
    "stale_version": "`events` tells what happened since the version that you expected. Decide anew, and send the new "
    "version.",
    "seat_given_up": "The match does not let seats be taken back. You can still watch.",
    "not_your_turn": "Wait until `to_move` names your seat.",
    "illegal_move": "`rule` names the rule; the game's catalogue has its sentence. `legal-moves` lists what may be "
    "played.",
    "draining": "Only `/readyz` says this: send new requests to another server. What this one still gets it answers.",
    "store_unavailable": "Nothing was changed. Try again after `Retry-After` seconds.",
    "busy": "Nothing was changed: others kept writing first. Try again.",
    "outcome_unknown": "Repeat the request with the same Idempotency-Key: it is applied once at the most. Without a "
    "key look at the state first.",
    "match_unreadable": "The operator has to help. The match was left as it is.",
    "internal": "This is a fault of the server. Its operator finds it in the log.",
}
