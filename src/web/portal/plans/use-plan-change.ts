'use client';
import { readApiErrors } from '#web/ui/api-errors.ts';
import { useInvalidate } from '../../trpc-client.tsx';

/**
 * Returns a function that runs a change and then refreshes the plans; also when a colleague has changed them before, so
 * that a dialog that is opened again shows the present state.
 */
export function usePlanChange() {
  const refresh = useInvalidate('plans');
  return async <Result>(change: () => Promise<Result>): Promise<Result> => {
    try {
      const result = await change();
      await refresh();
      return result;
    } catch (error) {
      if (readApiErrors(error)[0].code === 'conflict') await refresh();
      throw error;
    }
  };
}
