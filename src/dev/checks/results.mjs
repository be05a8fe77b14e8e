import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { buildFolder } from '../../launcher/root.mjs';

/**
 * Runs a tool that writes its results into a JSON file, and reads them.
 * @typedef {{ vitest: string } | { journey: string } | { attack: string }} Again what to run a second time: a file, a file
 * with its line, a name
 * @typedef {{ name: string, why: string, page?: string, again?: Again }} Failure `page` is the page's accessibility tree;
 * without `again` there is no second run
 * @typedef {{ file: string, seconds: number }} Timing of one file of tests
 * @typedef {{ passed: number, failed: number, failures: Failure[], timings?: Timing[] }} Result
 * @param {string} file its name in the build folder
 * @param {(file: string) => Promise<number | string>} run resolves with the tool's exit code
 * @param {(result: any) => Result} read
 * @returns {Promise<Result>}
 */
export async function collect(file, run, read = (result) => result) {
  const target = path.join(buildFolder, file);
  rmSync(target, { force: true });
  const code = await run(target);
  const found = existsSync(target) ? read(JSON.parse(readFileSync(target, 'utf8'))) : nothing;
  if (code === 0 || found.failed > 0) return found;
  // A tool that could not load its files reports no failed test, only an exit code.
  const failures = [...found.failures, { name: `${file}: the tool ended with ${code}`, why: 'See above.' }];
  return { ...found, failed: 1, failures };
}

const nothing = { passed: 0, failed: 0, failures: [] };

/** An end-to-end test that passed only on retry has failed. @returns {Result} */
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
      again: { journey: `e2e/${spec.file}:${spec.line}` },
    }));
  const whole = errors.map(({ message }) => ({ name: 'e2e', why: message }));
  return {
    passed: stats.expected,
    failed: failures.length + whole.length,
    failures: [...failures, ...whole],
    timings: byFile(runs),
  };
}

/**
 * Playwright's error context contains the page's accessibility tree between two fences; only its main region is
 * returned.
 */
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

/** @returns {Result} */
export const readAttacks = ({ failures, ...counts }) => ({
  ...counts,
  failures: failures.map((failure) => ({ ...failure, again: { attack: failure.name } })),
});
