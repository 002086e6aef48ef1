#!/bin/sh
# Make deploy/secrets: a password for the store, as the list of users that the store reads and the address that the
# service reads. Does nothing where it is there already. HOST is the store's name (compose: store).
set -eu
folder=${1:-$(dirname "$0")/secrets}
host=${HOST:-store}

[ ! -e "$folder/redis_url" ] || { echo "$folder is there already: nothing changed."; exit 0; }
# The folder is closed, the files in it are not: they are mounted into containers whose users are others.
mkdir -p -m 0700 "$folder"
password=$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')
hash=$(printf %s "$password" | sha256sum | cut -d' ' -f1)

# The service may touch its own keys and channels only, and may not run what is dangerous or for administrators, but for
# what `doctor` asks.
cat >"$folder/redis.acl" <<EOF
user default off
user shorebreak on #$hash resetkeys ~sb:* resetchannels &sb:* +@all -@admin -@dangerous +info +config|get
EOF
printf 'redis://shorebreak:%s@%s:6379/0\n' "$password" "$host" >"$folder/redis_url"
chmod 0444 "$folder/redis.acl" "$folder/redis_url"
echo "Made $folder/redis.acl and $folder/redis_url."
