import path from 'node:path';

/** The project's folder. */
export const root = path.resolve(import.meta.dirname, '../..');

/** What is built and can be built again. */
export const buildFolder = path.join(root, '.run');
