import { findProgram } from './find-program.mjs';

/** @returns {Promise<string>} the path of coturn's server, through which two browsers talk in tests */
export const findCoturn = (step) =>
  findProgram(step, {
    title: 'coturn',
    names: ['turnserver'],
    setting: 'COTURN_PATH',
    debian: 'coturn',
    why: 'The tests of relayed video calls',
  });
