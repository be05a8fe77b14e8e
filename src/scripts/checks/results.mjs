import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { buildFolder, root } from '../root.mjs';

/**
 * Runs a tool that writes what it found into a file of JSON, and reads that.
 * @typedef {{ name: string, why: string, page?: string }} Failure `page` is what stood on it, as a screen reader has it
 * @typedef {{ file: string, seconds: number }} Timing of one file of tests
 * @param {string} file its name in the folder of builds
 * @param {(file: string) => Promise<number | string>} run ends with the tool's exit code
 * @param {(result: any) => { passed: number, failed: number, failures: Failure[], timings?: Timing[] }} read
 */
export async function collect(file, run, read) {
  const target = path.join(buildFolder, file);
  rmSync(target, { force: true });
  const code = await run(target);
  const found = existsSync(target) ? read(JSON.parse(readFileSync(target, 'utf8'))) : nothing;
  if (code === 0 || found.failed > 0) return found;
  // What cannot even be loaded has no tests to count, but it ends the run with a code.
  const failures = [...found.failures, { name: `${file}: what ran ended with ${code}`, why: 'See above.' }];
  return { ...found, failed: 1, failures };
}

const nothing = { passed: 0, failed: 0, failures: [] };

/** A file that could not be loaded has failed too, though it has no test to say so. */
export function readVitest({ numPassedTests: passed, testResults }) {
  const failures = testResults.flatMap((suite) => {
    const file = path.relative(root, suite.name);
    const failed = suite.assertionResults.filter(({ status }) => status === 'failed');
    if (failed.length === 0 && suite.status === 'failed') return [{ name: file, why: suite.message }];
    return failed.map((test) => ({ name: `${file} > ${test.fullName}`, why: test.failureMessages.join('\n') }));
  });
  const timings = testResults.map(({ name, startTime, endTime }) => ({
    file: path.relative(root, name),
    seconds: (endTime - startTime) / 1000,
  }));
  return { passed, failed: failures.length, failures, timings };
}

/** One that only passed at a second try has failed. */
export function readPlaywright({ stats, suites, errors }) {
  const specs = suites.flatMap(function within(suite) {
    return [...suite.specs, ...(suite.suites ?? []).flatMap(within)];
  });
  const runs = specs.flatMap((spec) => spec.tests.map((test) => ({ ...test, spec })));
  const failures = runs
    .filter(({ status }) => status === 'unexpected' || status === 'flaky')
    .map(({ spec, results }) => ({
      name: `e2e/${spec.file} > ${spec.title}`,
      why: results.flatMap((result) => result.errors.map(({ message }) => message)).join('\n'),
      page: pageOf(results),
    }));
  const whole = errors.map(({ message }) => ({ name: 'e2e', why: message }));
  return {
    passed: stats.expected,
    failed: failures.length + whole.length,
    failures: [...failures, ...whole],
    timings: byFile(runs),
  };
}

/** Playwright writes it beside much else, between two fences; what every page has about it is left out. */
function pageOf(results) {
  const kept = results.flatMap(({ attachments }) => attachments).find(({ name }) => name === 'error-context');
  if (!kept?.path || !existsSync(kept.path)) return undefined;
  const whole = readFileSync(kept.path, 'utf8').match(/```yaml\n(.*?)```/s)?.[1];
  return whole?.match(/^ *- (?:alertdialog|dialog|main)\b.*/ms)?.[0] ?? whole;
}

function byFile(runs) {
  const files = new Map();
  for (const { spec, results } of runs) {
    const spent = results.reduce((sum, { duration }) => sum + duration, 0) / 1000;
    files.set(`e2e/${spec.file}`, (files.get(`e2e/${spec.file}`) ?? 0) + spent);
  }
  return [...files].map(([file, seconds]) => ({ file, seconds }));
}
