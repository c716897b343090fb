# SPDX-FileCopyrightText: Roofline Labs contributors
# SPDX-License-Identifier: Apache-2.0
#
# The labs in a container, without a GPU. Your files stay outside:
#   docker build -t roofline-labs .
#   docker run --rm -it -v "$PWD/labs:/course/labs" -v "$PWD/.lab/container:/state" roofline-labs watch 01
FROM debian:12
ENV LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates git python3 python3-venv
WORKDIR /course
COPY . .
RUN ./lab setup && rm -rf /var/lib/apt/lists/*
ENV ROOFLINE_STATE=/state
ENTRYPOINT ["./lab"]
