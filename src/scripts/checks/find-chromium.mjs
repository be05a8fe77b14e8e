import { findProgram } from './find-program.mjs';

/** @returns {Promise<string>} the path of a Chromium; one without a window does the same for less work, if there is one */
export const findChromium = (step) =>
  findProgram(step, {
    title: 'Chromium',
    names: ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
    elsewhere: ['Chromium', 'Google Chrome'].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`),
    setting: 'CHROMIUM_PATH',
    debian: 'chromium-headless-shell',
    why: 'The browser journeys',
  });
