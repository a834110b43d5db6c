import { parseQuantity } from "@mesh/declaration";
import type { JobSpec } from "@mesh/jobs";

/** What a task of this spec takes from its node, as its row has it; 0 for what it does not name. */
export function sizeOf(spec: JobSpec): { cpu_millicores: number; memory_bytes: number } {
  const { cpu, memory } = spec.resources ?? {};
  return {
    cpu_millicores: cpu === undefined ? 0 : parseQuantity(cpu, "cpu").millicores,
    memory_bytes: memory === undefined ? 0 : parseQuantity(memory, "memory").bytes,
  };
}
