# redial and the roots of certificates, nothing else: no shell, no package, not root.
#
#   docker build -t redial .
#   docker run --rm -v "$PWD:/work" --user "$(id -u)" redial scan -l targets.txt -o results.txt
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false \
    -ldflags "-s -w -X github.com/redialscan/redial/cmd.buildVersion=${VERSION}" -o /redial . \
    && mkdir /work

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /redial /redial
COPY --from=build --chown=65532:65532 /work /work
WORKDIR /work
USER 65532:65532
ENTRYPOINT ["/redial"]
