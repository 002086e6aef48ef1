#!/bin/sh
# Make deploy/secrets: what the store and the service must know of each other. Does nothing where it is there already.
#   redis.acl   the users that the store knows, with hashes of their passwords
#   redis_url   the address that the service reads, with its password; HOST is the store's name (compose: store)
#   operator    the password of the user `operator`, who may do everything: for backups, and for looking
set -eu
folder=${1:-$(dirname "$0")/secrets}
host=${HOST:-store}

[ ! -e "$folder/redis_url" ] || { echo "$folder is there already: nothing changed."; exit 0; }
random() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }
hash() { printf %s "$1" | sha256sum | cut -d' ' -f1; }
password=$(random)
operator=$(random)

# The folder is closed; the two files that are mounted into containers are not, for their users are others.
mkdir -p -m 0700 "$folder"
# The service may touch its own keys and channels only, and may not run what is dangerous or for administrators, but for
# what `doctor` asks, and for ROLE: behind Sentinels a server is asked whether it is the master.
# Nobody may log in as `default`. It keeps its rights nevertheless: Redis 7.0 reads its append-only file as that user, and
# leaves out, saying so in its log alone, whatever a script wrote if `default` may not run it. That is every move.
cat >"$folder/redis.acl" <<EOF
user default off ~* &* +@all
user shorebreak on #$(hash "$password") resetkeys ~sb:* resetchannels &sb:* +@all -@admin -@dangerous +info +config|get +role
user operator on #$(hash "$operator") ~* &* +@all
EOF
printf 'redis://shorebreak:%s@%s:6379/0\n' "$password" "$host" >"$folder/redis_url"
printf '%s\n' "$operator" >"$folder/operator"
chmod 0444 "$folder/redis.acl" "$folder/redis_url"
chmod 0400 "$folder/operator"
echo "Made redis.acl, redis_url and operator in $folder."
