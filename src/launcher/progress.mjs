const QUICK_SECONDS = 0.3;
const seconds = (since) => ((performance.now() - since) / 1000).toFixed(1);

/** Prints progress with durations. */
export function createProgress(write = (line) => process.stdout.write(`${line}\n`)) {
  const startedAt = performance.now();
  return {
    /** Runs a step; a short one is printed only when it is done. */
    async step(name, work) {
      const start = performance.now();
      const announce = setTimeout(() => write(`  … ${name}`), QUICK_SECONDS * 1000);
      try {
        const result = await work();
        write(`  ✓ ${name.padEnd(44)} ${seconds(start).padStart(5)} s`);
        return result;
      } catch (error) {
        write(`  ✗ ${name.padEnd(44)} ${seconds(start).padStart(5)} s`);
        throw error;
      } finally {
        clearTimeout(announce);
      }
    },
    total: () => seconds(startedAt),
  };
}
