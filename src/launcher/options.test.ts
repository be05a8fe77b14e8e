import { describe, expect, it } from 'vitest';
import { readOptions } from './options.mjs';

const read = (args: string[], env = {}) => readOptions(['--no-env-file', ...args], env);

describe('the options of npm start', () => {
  it('take precedence over the environment, and that over the default', () => {
    expect(read([])?.port).toBe(3000);
    expect(read([], { PORT: '3001' })?.port).toBe(3001);
    expect(read(['--port', '3002'], { PORT: '3001' })?.port).toBe(3002);
  });

  it.each(['0', '65536', '3000x', '-1', ''])('reject the port "%s" with a sentence', (port) => {
    expect(() => read([`--port=${port}`])).toThrow(`"${port}" is not a port`);
  });

  it('reject unknown options', () => {
    expect(() => read(['--prot', '3000'])).toThrow('--help lists the options');
  });

  it('resolve a relative data folder in the project', () => {
    expect(read(['--data', '.run/second'])?.data).toMatch(/^\/.*\/\.run\/second$/);
  });
});
