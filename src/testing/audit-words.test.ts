import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { hasWords } from '#portal/audit/words.ts';
import { appRouter, readsOf } from '#server/router.ts';

const PROCEDURES = Object.keys(appRouter._def.procedures);
/** Where actions are named in the source: what is written, and what is noted. */
const NAMED = /\baction(?::| =| \?)[^,;]*?'([a-zA-Z_]+\.[a-zA-Z_]+)'/g;
/** A visit's change is called by the event's topic. */
const BY_TOPIC = ['scheduled', 'rescheduled', 'canceled', 'changed'].map((topic) => `appointments.${topic}`);

function actionsInSource(): string[] {
  const files = ['src/server', 'src/jobs'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.includes('.test.'))
      .map((file) => `${folder}/${file}`),
  );
  const found = files.flatMap((file) => [...readFileSync(file, 'utf8').matchAll(NAMED)].map((match) => match[1]!));
  return [...new Set(found)];
}

test('every procedure says whose data it reads', () => {
  expect(PROCEDURES.filter((name) => !readsOf(name))).toEqual([]);
});

test('every action of the audit log has words for people', () => {
  const ofProcedures = PROCEDURES.flatMap((name) => {
    const reads = readsOf(name)!;
    return reads.of === 'patient' ? [reads.action ?? name] : [];
  });
  const written = actionsInSource().filter((action) => !action.startsWith('appointment.'));
  expect(written.length).toBeGreaterThan(40);
  const all = [...new Set([...ofProcedures, ...written, ...BY_TOPIC])];
  expect(all.filter((action) => !hasWords(action))).toEqual([]);
});
