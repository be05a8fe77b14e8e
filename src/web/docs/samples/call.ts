/** An API call with example values. */
export type Call = {
  method: string;
  /** The route as in the reference: `/patients/{id}`. */
  route: string;
  baseUrl: string;
  path: Record<string, unknown>;
  query: [name: string, value: unknown][];
  /** True if the call accepts the header `Idempotency-Key`. */
  idempotencyKey: boolean;
  body: unknown;
  /** The response: the model's name, one or a list, paginated or not. */
  response: { name: string; isList: boolean; isPaged: boolean };
};

/** The full URL without the query. */
export const urlOf = ({ baseUrl, route, path }: Call): string =>
  baseUrl + route.replace(/\{(\w+)\}/g, (_part, name: string) => encodeURIComponent(String(path[name])));

/** The query as pairs; an array parameter repeats its bracketed name for each value. */
export const queryPairs = ({ query }: Call): [name: string, value: string][] =>
  query.flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, typeof one === 'string' ? one : JSON.stringify(one)]),
  );
