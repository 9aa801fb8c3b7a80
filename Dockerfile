# The program alone, linked statically, and the certificates by which it knows judges' servers.
#
#   docker build -t judica .
#   docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/data" judica demo
FROM rust:1.95-alpine AS build
RUN apk add --no-cache ca-certificates musl-dev
WORKDIR /source
COPY . .
RUN cargo build --profile dist --locked -p judica-cli && mkdir /data

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /source/target/dist/judica /judica
# Nobody, who owns where it works unless something is mounted there.
COPY --from=build --chown=65534:65534 /data /data
USER 65534:65534
WORKDIR /data
ENTRYPOINT ["/judica"]
