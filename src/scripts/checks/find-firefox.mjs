import { findProgram } from './find-program.mjs';

/** @returns {Promise<string>} the path of a Firefox, with which a patient calls in one journey */
export const findFirefox = (step) =>
  findProgram(step, {
    title: 'Firefox',
    names: ['firefox-esr', 'firefox'],
    elsewhere: ['/Applications/Firefox.app/Contents/MacOS/firefox'],
    setting: 'FIREFOX_PATH',
    debian: 'firefox-esr',
    why: 'The browser journeys',
  });
