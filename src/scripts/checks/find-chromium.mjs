import { findProgram } from './find-program.mjs';

/** @returns {Promise<string>} the path of a Chromium */
export const findChromium = (step) =>
  findProgram(step, {
    title: 'Chromium',
    names: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
    elsewhere: ['Chromium', 'Google Chrome'].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`),
    setting: 'CHROMIUM_PATH',
    debian: 'chromium',
    why: 'The browser journeys',
  });
