import { type Call, queryPairs, urlOf } from './call.ts';
import { literal, type Writing } from './literal.ts';

const writing: Writing = {
  // Python has the same string escapes as JSON.
  text: (value) => JSON.stringify(value),
  key: (name) => JSON.stringify(name),
  word: (value) => (value === null ? 'None' : value ? 'True' : 'False'),
};
const STEP = 4;

/**
 * The call as a Python program with the package `requests`, and the access token in the environment variable `TOKEN`.
 */
export function pythonOf(call: Call): string {
  const query = queryPairs(call);
  const token = `"Authorization": f"Bearer {os.environ['TOKEN']}"`;
  const headers = call.idempotencyKey
    ? `{\n        ${token},\n        "Idempotency-Key": str(uuid.uuid4()),\n    }`
    : `{${token}}`;
  const lines = [
    JSON.stringify(urlOf(call)),
    `headers=${headers}`,
    ...(query.length > 0 ? [`params=${literal(Object.fromEntries(query), writing, STEP, STEP)}`] : []),
    ...(call.body === undefined ? [] : [`json=${literal(call.body, writing, STEP, STEP)}`]),
    'timeout=30',
  ];
  return `import os
${call.idempotencyKey ? 'import uuid\n' : ''}
import requests

answer = requests.${call.method.toLowerCase()}(
${lines.map((line) => `    ${line},\n`).join('')})
answer.raise_for_status()
print(answer.json())`;
}
