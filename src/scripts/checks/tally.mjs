import { Sentence } from '../sentence.mjs';
import { createProgress } from '../start/progress.mjs';

/** Counts what passed and failed, and goes on after a failure, so that one run tells all. */
export function createTally() {
  const { step, total } = createProgress();
  let passed = 0;
  let failed = 0;

  async function attempt(work) {
    try {
      await work();
      return true;
    } catch (error) {
      console.error(`\n${error instanceof Sentence ? error.message : error.stack}\n`);
      return false;
    }
  }

  return {
    /** Work that is not itself a check: only its failure counts. */
    async prepare(work) {
      const done = await attempt(() => work(step));
      if (!done) failed += 1;
      return done;
    },
    /** One check. */
    async check(name, work) {
      const done = await attempt(() => step(name, work));
      if (done) passed += 1;
      else failed += 1;
      return done;
    },
    /** Many checks that somebody else counted. */
    add(counts) {
      passed += counts.passed;
      failed += counts.failed;
    },
    finish() {
      console.log(`\n(${total()} s)\n${passed} passed, ${failed} failed`);
      process.exit(failed === 0 ? 0 : 1);
    },
  };
}
