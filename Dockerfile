# docker build -t diglot . && docker run --rm -v "$PWD:/data" diglot run crawl.warc.gz
# docker build --target spark -t diglot-spark .        an image for Spark on Kubernetes: docs/cluster.md
ARG SPARK=3.5.8-scala2.12-java17-python3-ubuntu
ARG RUST=rust:1-slim-trixie

FROM ${RUST} AS build
WORKDIR /src
COPY . .
RUN cargo install --locked --path . --root /out

# The wheel is built where it will run, so that it needs no newer system library than there is.
FROM apache/spark:${SPARK} AS wheel
USER root
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev
COPY --from=build /usr/local/cargo /usr/local/cargo
COPY --from=build /usr/local/rustup /usr/local/rustup
ENV CARGO_HOME=/usr/local/cargo RUSTUP_HOME=/usr/local/rustup PATH=/usr/local/cargo/bin:$PATH
WORKDIR /src
COPY . .
RUN pip3 wheel --no-deps --wheel-dir /out .

FROM apache/spark:${SPARK} AS spark
USER root
COPY --from=wheel /out /tmp/wheels
# The driver of Spark asks for pandas where tasks are given Arrow; no rows pass through it.
RUN pip3 install --no-cache-dir /tmp/wheels/*.whl 'pandas>=1.0.5' && rm -r /tmp/wheels \
 && mkdir /opt/diglot \
 && printf 'import runpy\n\nrunpy.run_module("diglot.spark", run_name="__main__")\n' > /opt/diglot/job.py
USER spark

FROM debian:trixie-slim
COPY --from=build /out/bin/diglot /usr/local/bin/diglot
COPY LICENSE-MIT LICENSE-APACHE LICENSE-UNICODE LICENSE-MPL docs/third-party.md /usr/share/doc/diglot/
WORKDIR /data
ENTRYPOINT ["diglot"]
