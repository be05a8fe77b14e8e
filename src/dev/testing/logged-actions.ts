import { readdirSync, readFileSync } from 'node:fs';
import { appRouter, readsOf } from '#server/router.ts';

export const PROCEDURES = Object.keys(appRouter._def.procedures);
/** Where the source names actions. */
const NAMED = /\baction(?::| =| \?)[^,;]*/g;
const NAME = /'([a-zA-Z_]+\.[a-zA-Z_]+)'/g;
/** Appointment changes are named after the event's topic. */
const BY_TOPIC = ['scheduled', 'rescheduled', 'canceled', 'changed'].map((topic) => `appointments.${topic}`);

function actionsInSource(): string[] {
  const files = ['src/server', 'src/jobs'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.includes('.test.'))
      .map((file) => `${folder}/${file}`),
  );
  const places = files.flatMap((file) => readFileSync(file, 'utf8').match(NAMED) ?? []);
  // A conditional names two actions.
  const found = places.flatMap((place) => [...place.matchAll(NAME)].map((match) => match[1]!));
  return [...new Set(found)].filter((action) => !action.startsWith('appointment.'));
}

/** Returns every action that the audit log can contain: of the procedures, and those named in the source. */
export function loggedActions(): { ofProcedures: string[]; written: string[]; all: string[] } {
  const ofProcedures = PROCEDURES.flatMap((name) => {
    const reads = readsOf(name)!;
    return reads.of === 'patient' ? [reads.action ?? name] : [];
  });
  const written = actionsInSource();
  return { ofProcedures, written, all: [...new Set([...ofProcedures, ...written, ...BY_TOPIC])] };
}
