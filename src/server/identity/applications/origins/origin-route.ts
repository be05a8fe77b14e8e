const PREFIX = 'origin:';

/** An origin stands in the routes, for a preflight names its page and nothing else. */
export const originRoute = (origin: string): string => PREFIX + origin;
export const originOfRoute = (key: string): string => key.slice(PREFIX.length);
export const anyOriginRoute = { startsWith: PREFIX };
