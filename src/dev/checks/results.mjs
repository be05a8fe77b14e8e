import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { buildFolder } from '../../launcher/root.mjs';

/**
 * Runs a tool that writes its results into a JSON file, and reads them.
 * @typedef {{ vitest: string } | { journey: string } | { attack: string }} Rerun what to run a second time: a file, a file
 * with its line, a name
 * @typedef {{ name: string, why: string, page?: string, rerun?: Rerun }} Failure `page` is the page's accessibility tree;
 * without `rerun` there is no second run
 * @typedef {{ file: string, seconds: number }} Timing of one file of tests
 * @typedef {{ passed: number, failed: number, failures: Failure[], timings?: Timing[] }} Result
 * @param {string} file its name in the build folder
 * @param {(file: string) => Promise<number | string>} run resolves with the tool's exit code
 * @param {(result: any) => Result} read
 * @returns {Promise<Result>}
 */
export async function collect(file, run, read = (json) => json) {
  const target = path.join(buildFolder, file);
  rmSync(target, { force: true });
  const code = await run(target);
  const result = existsSync(target) ? read(JSON.parse(readFileSync(target, 'utf8'))) : nothing;
  if (code === 0 || result.failed > 0) return result;
  // A tool that could not load its files reports no failed test, only an exit code.
  const failures = [...result.failures, { name: `${file}: the tool ended with ${code}`, why: 'See above.' }];
  return { ...result, failed: 1, failures };
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
      rerun: { journey: `e2e/${spec.file}:${spec.line}` },
    }));
  const globalErrors = errors.map(({ message }) => ({ name: 'e2e', why: message }));
  return {
    passed: stats.expected,
    failed: failures.length + globalErrors.length,
    failures: [...failures, ...globalErrors],
    timings: byFile(runs),
  };
}

/**
 * Playwright's error context contains the page's accessibility tree between two fences; only its main region is
 * returned.
 */
function pageOf(results) {
  const attachment = results.flatMap(({ attachments }) => attachments).find(({ name }) => name === 'error-context');
  if (!attachment?.path || !existsSync(attachment.path)) return undefined;
  const tree = readFileSync(attachment.path, 'utf8').match(/```yaml\n(.*?)```/s)?.[1];
  return tree?.match(/^ *- (?:alertdialog|dialog|main)\b.*/ms)?.[0] ?? tree;
}

function byFile(runs) {
  const files = new Map();
  for (const { spec, results } of runs) {
    const seconds = results.reduce((sum, { duration }) => sum + duration, 0) / 1000;
    files.set(`e2e/${spec.file}`, (files.get(`e2e/${spec.file}`) ?? 0) + seconds);
  }
  return [...files].map(([file, seconds]) => ({ file, seconds }));
}

/** @returns {Result} */
export const readAttacks = ({ failures, ...counts }) => ({
  ...counts,
  failures: failures.map((failure) => ({ ...failure, rerun: { attack: failure.name } })),
});
