import type { Services } from '../core/context.ts';

type Owner = Pick<Services, 'database'>;

/**
 * State that a process keeps once for each deployment it serves. It hangs on the database, which every Context of the
 * deployment shares, so a request's own Context finds the same state as the door's Services.
 */
export function perDatabase<State>(make: () => State): (owner: Owner) => State {
  const states = new WeakMap<object, State>();
  return ({ database }) => {
    let state = states.get(database);
    if (!state) {
      state = make();
      states.set(database, state);
    }
    return state;
  };
}
