/** One call, with example values in place. */
export type Call = {
  method: string;
  /** As the reference names it: `/patients/{id}`. */
  route: string;
  baseUrl: string;
  path: Record<string, unknown>;
  query: [name: string, value: unknown][];
  /** Whether it takes the header `Idempotency-Key`. */
  idempotencyKey: boolean;
  body: unknown;
  /** What is answered: a model's name, of one or of many, page by page or whole. */
  answer: { name: string; isList: boolean; isPaged: boolean };
};

/** The whole address, without its query. */
export const urlOf = ({ baseUrl, route, path }: Call): string =>
  baseUrl + route.replace(/\{(\w+)\}/g, (_part, name: string) => encodeURIComponent(String(path[name])));

/** A repeated parameter of a query is named with brackets; its values stand one by one. */
export const queryPairs = ({ query }: Call): [name: string, value: string][] =>
  query.flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, typeof one === 'string' ? one : JSON.stringify(one)]),
  );
