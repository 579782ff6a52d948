# Serves a workspace; docs/service.md shows how to run it.
FROM node:24-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
# The package needs no dependencies: this Node.js includes SQLite, and a container has no keychain.
RUN npm run build && npm pack --ignore-scripts && tar -xzf kith-*.tgz

FROM node:24-slim
COPY --from=build /build/package /opt/kith
# The user `node`, as a number, so that Kubernetes can check that it is not root.
USER 1000:1000
WORKDIR /home/node
EXPOSE 4717
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "-e", "fetch('http://127.0.0.1:4717/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/opt/kith/bin/kith.js"]
CMD ["serve", "--host", "0.0.0.0", "--behind-proxy"]
