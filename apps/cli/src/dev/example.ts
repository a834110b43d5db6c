/**
 * busybox 1.36.1, the index of all its platforms: small, and it holds everything the example
 * runs. Pinned by digest, as a module's image must be (R1).
 */
export const exampleImage = [
  "docker.io/library/busybox@sha256",
  "73aaf090f3d85aa34ee199857f03fa3a95c8ede2ffd4cc2cdb5b94e566b11662",
].join(":");

export const exampleModule = "greeter";
export const exampleCronJob = "atlas-report-schedule";

/**
 * A module that does something a person can look at: each minute its scheduled container adds a
 * line to a file in the module's own directory. `$MESH_ROOT` is empty in a container; where work
 * runs as plain processes it is the folder that stands for the container's root.
 */
export function moduleText(image: string): string {
  return `# A module: what a node holds under an account of its own, in this order.
module: greeter
version: 1
resources:
  - type: directory
    path: /var/lib/mesh/greeter
  - type: file
    path: /etc/mesh/greeter/greeting.txt
    content: |
      Good day from Mesh.
  # Runs to completion each minute; a run that fails is recorded and stops nothing.
  - type: container
    name: greeter-visits
    image: ${image}
    command:
      - sh
      - -c
      - |
        cd "$MESH_ROOT/data" || exit 1
        echo "$MESH_SCHEDULED_AT" >> visits.log
        echo "visit $(wc -l < visits.log | tr -d ' '), due at $MESH_SCHEDULED_AT"
    volumes:
      - {source: /var/lib/mesh/greeter, target: /data}
    schedule: "* * * * *"
`;
}

/** A report each minute: the CronJob that most people write first, pinned. */
export function cronJobText(image: string): string {
  return `# A schedule and the Job that each of its occurrences starts.
name: atlas-report-schedule
schedule: "* * * * *"
timezone: UTC
concurrencyPolicy: Forbid
jobTemplate:
  image: ${image}
  command: ["sh", "-c", "printf 'atlas report\\\\n'"]
  resources:
    cpu: 100m
    memory: 16Mi
`;
}

/** A Job that counts a bounded input and exits. */
export function jobText(image: string, name: string): string {
  return `# A Job: work that ends, with its retries.
name: ${name}
image: ${image}
command:
  - sh
  - -c
  - echo "attempt $MESH_ATTEMPT of $MESH_NAME counted $(seq 1 1000 | wc -l | tr -d ' ') lines"
backoffLimit: 1
resources:
  cpu: 100m
  memory: 16Mi
`;
}

/** The next free name of the form `hello-<n>`, given the names that are taken. */
export function nextJobName(taken: readonly string[]): string {
  const numbers = taken.map((name) => /^hello-(\d{1,6})$/.exec(name)?.[1]).map(Number);
  return `hello-${Math.max(0, ...numbers.filter((n) => !Number.isNaN(n))) + 1}`;
}
