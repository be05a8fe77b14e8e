import type { Services } from './context.ts';

/**
 * State that a process keeps once for each deployment it serves. It hangs on the database, which every Context of the
 * deployment shares, so a request's own Context finds the same state as the door's Services.
 */
export function perDatabase<State>(make: (services: Services) => State): (services: Services) => State {
  const states = new WeakMap<Services['database'], State>();
  return (services) => {
    let state = states.get(services.database);
    if (!state) {
      state = make(services);
      states.set(services.database, state);
    }
    return state;
  };
}
