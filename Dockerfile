# docker build -t diglot . && docker run --rm -v "$PWD:/data" diglot run crawl.warc.gz
FROM rust:1-slim-trixie AS build
WORKDIR /src
COPY . .
RUN cargo install --locked --path . --root /out

FROM debian:trixie-slim
COPY --from=build /out/bin/diglot /usr/local/bin/diglot
COPY LICENSE-MIT LICENSE-APACHE LICENSE-UNICODE LICENSE-MPL docs/third-party.md /usr/share/doc/diglot/
WORKDIR /data
ENTRYPOINT ["diglot"]
