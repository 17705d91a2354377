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

# Listed is not yet usable: the server maps the names only once its own registry has refreshed, and refuses a workflow
# that sets one before that. A query over all of them is answered from that same map.
until_it_works temporal workflow count --query "CountersignTenant = '-' and CountersignPhase = '-' \
  and CountersignCustomer = '-' and CountersignAmount = 0 and CountersignCurrency = '-' \
  and CountersignApproverGroup = '-'"
echo "namespace $TEMPORAL_NAMESPACE is ready"
