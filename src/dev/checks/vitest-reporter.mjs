import { writeFileSync } from 'node:fs';

/**
 * Vitest reporter: writes counts, failures and times of a run as JSON into the file that VITEST_RESULT names. Unlike
 * Vitest's own JSON it distinguishes errors outside of tests, and files that did not load, from failed tests.
 */
export default class VitestReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const failures = modules.flatMap(failuresOf);
    failures.push(...unhandledErrors.map((error) => ({ name: 'an error outside of tests', why: textOf(error) })));
    const timings = modules.map((module) => ({
      file: module.relativeModuleId,
      seconds: module.diagnostic().duration / 1000,
    }));
    const passed = tests.filter((test) => test.result().state === 'passed').length;
    writeFileSync(process.env.VITEST_RESULT, JSON.stringify({ passed, failed: failures.length, failures, timings }));
  }
}

/** @returns {import('./results.mjs').Failure[]} */
function failuresOf(module) {
  const file = module.relativeModuleId;
  const rerun = { vitest: file };
  const isLoaded = module.children.size > 0;
  const suites = [...module.children.allSuites()];
  return [
    ...module.errors().map((error) => ({ name: file, why: textOf(error), ...(isLoaded && { rerun }) })),
    ...suites.flatMap((suite) =>
      suite.errors().map((error) => ({ name: `${file} > ${suite.fullName}`, why: textOf(error), rerun })),
    ),
    ...[...module.children.allTests('failed')].map((test) => ({
      name: `${file} > ${test.fullName}`,
      why: test.result().errors.map(textOf).join('\n'),
      rerun,
    })),
  ];
}

/** The stack of a test that timed out lacks the message. */
const textOf = ({ message, stack, diff }) =>
  [stack?.includes(message) ? null : message, stack, diff].filter(Boolean).join('\n');
