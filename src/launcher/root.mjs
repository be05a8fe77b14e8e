import path from 'node:path';

/** The project's root folder. */
export const root = path.resolve(import.meta.dirname, '../..');

/** The folder of build output, which can be rebuilt. */
export const buildFolder = path.join(root, '.run');
