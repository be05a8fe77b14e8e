import type { Call } from './call.ts';
import { literal, type Writing } from './literal.ts';

const NAME = /^[A-Za-z_$][\w$]*$/;
const quoted = (text: string) => `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
const writing: Writing = {
  text: quoted,
  key: (name) => (NAME.test(name) ? name : quoted(name)),
  word: String,
};

const variable = (name: string) => name[0]!.toLowerCase() + name.slice(1);

/**
 * The call with `@carelane/client`, whose instance `carelane` is created at the top of the page. The client sends
 * `Idempotency-Key` automatically.
 */
export function typescriptOf({ method, route, path, query, body, response: answer }: Call): string {
  const options = {
    ...(Object.keys(path).length > 0 && { path }),
    ...(query.length > 0 && {
      query: Object.fromEntries(query),
    }),
    ...(body !== undefined && { body }),
  };
  const given = Object.keys(options).length > 0 ? `, ${literal(options, writing, 2)}` : '';
  const name = variable(answer.name);
  if (answer.isPaged)
    return `for await (const ${name} of carelane.all('${route}'${given})) {\n  console.log(${name});\n}`;
  const result = answer.isList ? `${name}List` : name;
  return `const ${result} = await carelane.${method.toLowerCase()}('${route}'${given});\nconsole.log(${result});`;
}
