import { findProgram } from './find-program.mjs';

/** The guides' lines of shell run as they stand, with what they name. */
export async function findSampleTools(step) {
  for (const tool of ['curl', 'jq', 'python3'])
    await findProgram(step, {
      title: tool,
      names: [tool],
      setting: `${tool.toUpperCase()}_PATH`,
      debian: tool,
      why: 'The tests of the docs’ samples',
    });
}
