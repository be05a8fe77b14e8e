import type { Fault } from '#server/core/errors.ts';

const MOST_ROWS = 20;

export type NestedRow = { id: string; primary: boolean; active: boolean };
/** One entry of `…_attributes` with its JSON pointer in the body. */
export type NestedChange<Row> = {
  pointer: string;
  attributes: { [Key in keyof Row]?: Row[Key] | undefined } & { _destroy?: boolean | undefined };
};
export type NestedPlan<Row> = {
  /** All resulting rows, in order. */
  rows: Row[];
  created: Row[];
  changed: Row[];
  dropped: string[];
  /** Rows that are no longer primary; must be written before another row becomes primary. */
  unprimed: string[];
  /** JSON pointers of the rows in the body, by row id. */
  pointers: Map<string, string>;
  faults: Fault[];
};

const at = (pointer: string) => ({ source: { pointer } });

/**
 * Plans the changes that `phones_attributes` or `addresses_attributes` make to a patient's rows. An `id` edits,
 * `_destroy` deletes, no `id` adds. Marking one row as primary un-marks the others; when none is primary, the first new
 * active row not marked otherwise becomes primary.
 */
export function planNestedRows<Row extends NestedRow>(
  what: string,
  existing: Row[],
  changes: NestedChange<Row>[],
  blank: () => Row,
): NestedPlan<Row> {
  const faults: Fault[] = [];
  const known = new Map(existing.map((row) => [row.id, row]));
  const edits = new Map<string, Row>();
  const dropped = new Set<string>();
  const created: Row[] = [];
  const undecided: Row[] = [];
  const pointers = new Map<string, string>();
  let asked: Row | null = null;

  for (const { pointer, attributes } of changes) {
    const { id, _destroy, ...given } = attributes;
    const old = id === undefined ? undefined : known.get(id);
    if (id !== undefined && !old) {
      faults.push({ code: 'invalid_parameter', detail: `This patient has no such ${what}.`, ...at(`${pointer}/id`) });
      continue;
    }
    if (id !== undefined && (edits.has(id) || dropped.has(id))) {
      faults.push({ code: 'invalid_parameter', detail: `This ${what} is named twice.`, ...at(`${pointer}/id`) });
      continue;
    }
    if (_destroy) {
      if (old) dropped.add(old.id);
      else faults.push({ code: 'missing_parameter', detail: '"_destroy" needs an "id".', ...at(`${pointer}/id`) });
      continue;
    }
    const said = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    const row: Row = { ...(old ?? blank()), ...said };
    pointers.set(row.id, pointer);
    if (old) edits.set(row.id, row);
    else created.push(row);
    if (given.primary) {
      if (asked)
        faults.push({
          code: 'invalid_parameter',
          detail: `Only one ${what} can be primary.`,
          ...at(`${pointer}/primary`),
        });
      asked = row;
    } else if (!old && given.primary === undefined && row.active) undecided.push(row);
  }

  const rows = [...existing.filter((row) => !dropped.has(row.id)).map((row) => edits.get(row.id) ?? row), ...created];
  if (rows.length > MOST_ROWS)
    faults.push({
      code: 'invalid_parameter',
      detail: `A patient has at most ${MOST_ROWS} of these.`,
      ...at(changes[0]?.pointer ?? ''),
    });
  const primary = asked ?? rows.find((row) => row.primary) ?? undecided[0];
  const settled = rows.map((row) => ({ ...row, primary: row === primary }));
  const isNew = new Set(created.map((row) => row.id));
  return {
    rows: settled,
    created: settled.filter((row) => isNew.has(row.id)),
    changed: settled.filter((row) => edits.has(row.id)),
    dropped: [...dropped],
    unprimed: settled.filter((row) => !row.primary && known.get(row.id)?.primary).map((row) => row.id),
    pointers,
    faults,
  };
}
