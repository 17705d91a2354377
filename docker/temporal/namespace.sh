#!/bin/sh
# One-shot, in temporalio/admin-tools: registers the namespace and the search attributes that the workflows set.
# Safe to run again. TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE are the CLI's own variables.
set -eu

retention=${TEMPORAL_RETENTION:-30d}

# The port answers before the frontend does; the health check is the answer that counts.
until_it_works() {
  left=30
  until "$@" >/dev/null 2>&1; do
    left=$((left - 1))
    if [ "$left" -le 0 ]; then
      echo "gave up: $*" >&2
      "$@"
      return 1
    fi
    sleep 2
  done
}

until_it_works temporal operator cluster health

if ! temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" >/dev/null 2>&1; then
  temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention "$retention"
fi
# A new namespace is known to every part of the server only after its registry has refreshed.
until_it_works temporal operator search-attribute list

known=$(temporal operator search-attribute list)
for attribute in \
  CountersignTenant:Keyword \
  CountersignPhase:Keyword \
  CountersignCustomer:Keyword \
  CountersignAmount:Int \
  CountersignCurrency:Keyword \
  CountersignApproverGroup:Keyword; do
  name=${attribute%%:*}
  case "$known" in
    *"$name"*) echo "$name is registered" ;;
    *) temporal operator search-attribute create --name "$name" --type "${attribute##*:}" ;;
  esac
done

# Workflows are refused while an attribute that they set is unknown, so nothing starts before all six are listed.
all_listed() {
  listed=$(temporal operator search-attribute list) &&
    [ "$(printf '%s\n' "$listed" | grep -c Countersign)" -eq 6 ]
}
until_it_works all_listed
echo "namespace $TEMPORAL_NAMESPACE is ready"
