# One image for `api`, `worker`, `migrate` and `sandbox`. Debian, not Alpine: Temporal's native core needs glibc.
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
# No package here needs its install script to run, so none of them gets to.
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY bin bin
COPY src src
COPY workflows workflows
COPY activities activities
COPY policies policies
# Compiles and bundles the workflows, so that a worker starts without bundling; then only what runs is kept.
RUN npm run build && npm prune --omit=dev --ignore-scripts

FROM node:24.21.0-bookworm-slim AS runtime
# Temporal's native core checks server certificates against the system's roots; the slim image has none.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates \
  && rm -rf /var/lib/apt/lists/* \
  && install --directory --owner=node --group=node --mode=0700 /var/lib/countersign
ENV NODE_ENV=production \
  COUNTERSIGN_DATA_DIR=/var/lib/countersign
WORKDIR /app
# Owned by root: the process can read its code and not change it.
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/bin bin
COPY --from=build /app/policies policies
USER node
EXPOSE 8080
# Says whether this container reaches its database, Temporal and provider. The API has a closer check in compose.
HEALTHCHECK --interval=30s --timeout=15s --start-period=30s --retries=3 \
  CMD ["node", "bin/countersign.js", "doctor", "--json"]
# Run with an init (`docker run --init`, `init: true`), which reaps children and forwards SIGTERM.
ENTRYPOINT ["node", "bin/countersign.js"]
CMD ["api"]
