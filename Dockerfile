# netplan without root and without network: prices, limits and samples ship with it.
#   docker build --tag netplan .
#   docker run --rm --network none --volume "$PWD:/work:ro" netplan audit --inventory inventory --traffic flow-logs
FROM python:3.12-slim AS build
WORKDIR /src
COPY pyproject.toml requirements.lock README.md LICENSE ./
COPY planner planner
COPY pricing pricing
COPY rules rules
RUN pip install --no-cache-dir uv==0.9.11 && \
    uv build --quiet --wheel --out-dir /wheels . && \
    uv venv --quiet --python /usr/local/bin/python /opt/netplan && \
    uv pip install --quiet --compile-bytecode --python /opt/netplan/bin/python \
      --constraint requirements.lock /wheels/gce_netplan-*.whl

FROM python:3.12-slim
LABEL org.opencontainers.image.title="netplan" \
      org.opencontainers.image.description="Cost and throughput of Compute Engine networking" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /opt/netplan /opt/netplan
RUN useradd --create-home --uid 10001 netplan
USER 10001
ENV PATH=/opt/netplan/bin:$PATH
WORKDIR /work
ENTRYPOINT ["netplan"]
CMD ["--help"]
