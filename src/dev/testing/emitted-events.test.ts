import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { EVENT_TOPICS } from '#contract/event-types.ts';
import { root } from '../../launcher/root.mjs';

/** Timeline labels mention event names but emit none. */
const WORDS = path.join('server', 'chart');

/** The service's own source, without tests. */
function readSources(): string {
  const folder = path.join(root, 'src');
  const files = ['server', 'jobs'].flatMap((part) =>
    readdirSync(path.join(folder, part), { recursive: true }).map((file) => path.join(part, String(file))),
  );
  return files
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.startsWith(WORDS))
    .map((file) => readFileSync(path.join(folder, file), 'utf8'))
    .join('\n');
}

/** Emitted under a composed name: `appointment.${topic}`. */
const PUT_TOGETHER = [
  'appointment.scheduled',
  'appointment.rescheduled',
  'appointment.canceled',
  'appointment.changed',
];

test('the service emits every event type that can be subscribed to', () => {
  const sources = readSources();
  const names = Object.entries(EVENT_TOPICS).flatMap(([type, topics]) => topics.map((topic) => `${type}.${topic}`));
  const emitted = names.filter((name) => PUT_TOGETHER.includes(name) || sources.includes(`'${name}'`));
  expect(emitted).toEqual(names);
  expect(sources).toMatch(/event: `appointment\.\$\{topic\}`/);
});
