# SPDX-License-Identifier: BSD-3-Clause
# docker build -t gpunetsim .    docker run --rm -v "$PWD:/work" gpunetsim run mine.lua
FROM debian:12 AS build
COPY . /source
WORKDIR /source
SHELL ["/bin/bash", "-c"]
RUN . cmake/setup.sh && gns_install_packages "${gns_mpi_packages[@]}" \
    && cmake --preset release && cmake --build --preset release && (cd build/release && cpack)

FROM debian:12
COPY --from=build /source/build/release/*.deb /tmp/
RUN apt-get update && apt-get install -y --no-install-recommends /tmp/*.deb gnuplot-nox fonts-dejavu-core \
    && rm -rf /tmp/*.deb /var/lib/apt/lists/*
WORKDIR /work
ENTRYPOINT ["gpunetsim"]
