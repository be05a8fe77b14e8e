'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Check, Minus } from 'lucide-react';
import { useState } from 'react';
import { type PractitionerOption, ROLES, type Role } from '#contract/roles.ts';
import { firstErrorMessage } from '#web/ui/api-errors.ts';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { Checkbox } from '#web/ui/checkbox.tsx';
import { cn } from '#web/ui/cn.ts';
import { ErrorState } from '#web/ui/error-state.tsx';
import { Field } from '#web/ui/field.tsx';
import { PlainSelect } from '#web/ui/plain-select.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { toast } from '#web/ui/toast.ts';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { ROLE_NAMES, ROLE_OPTIONS } from '../me.tsx';
import { practitionersMay, type RoleCell, roleTable, withOption } from './role-table.ts';

const TITLE = 'What each role may do';

type Choose = (choice: { option: PractitionerOption; label: string; isOn: boolean }) => void;

/** Saves one choice at once: it shows before the server answers, and is reverted when it could not be saved. */
function useChooseOption(): Choose {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const queryKey = trpc.team.practitionerOptions.queryKey({});
  const show = (option: PractitionerOption, isOn: boolean) =>
    queries.setQueryData(queryKey, (saved) => saved && { options: withOption(saved.options, option, isOn) });
  const save = useMutation({
    // One after the other, because each call replaces all options.
    scope: { id: 'practitioner-options' },
    onMutate: async ({ option, isOn }: Parameters<Choose>[0]) => {
      await queries.cancelQueries({ queryKey });
      show(option, isOn);
    },
    mutationFn: async ({ option, isOn }) => {
      const { options } = await queries.ensureQueryData(trpc.team.practitionerOptions.queryOptions({}));
      return client.team.setPractitionerOptions.mutate({ options: withOption(options, option, isOn) });
    },
    onSuccess: (_saved, { option, label, isOn }) => {
      show(option, isOn);
      toast.success(practitionersMay(label, isOn ? 'now' : 'no longer'));
    },
    onError: (error, { option, isOn }) => {
      show(option, !isOn);
      toast.error(firstErrorMessage(error));
      // The response may have been lost after the server saved.
      return queries.invalidateQueries({ queryKey });
    },
  });
  return save.mutate;
}

/** Who may do what. Wide screens show all roles next to each other, phones the one that is chosen. */
export function RolesCard() {
  const trpc = useTRPC();
  const saved = useQuery(trpc.team.practitionerOptions.queryOptions({}));
  const choose = useChooseOption();
  const [phoneRole, setPhoneRole] = useState<Role>('practitioner');
  const onPhone = (role: Role) => role !== phoneRole && 'max-md:hidden';
  return (
    <Card aria-label={TITLE} className="mt-5 overflow-hidden">
      <CardHeader
        title={TITLE}
        description="In production, everyone who may refund, export or administer signs in with two steps; a changed role takes effect at once, and your colleague signs in again."
      />
      {saved.error && !saved.data ? (
        <ErrorState error={saved.error} onRetry={() => void saved.refetch()} />
      ) : (
        <>
          <Field label="Role" className="border-b border-line p-4 md:hidden">
            <PlainSelect
              options={ROLE_OPTIONS}
              value={phoneRole}
              onValueChange={(role) => setPhoneRole(role as Role)}
            />
          </Field>
          {/* `relative`: otherwise content for screen readers only would overflow and widen the page. */}
          <div className="relative md:overflow-x-auto">
            <table className="w-full">
              <caption className="sr-only">{TITLE}</caption>
              <thead>
                <tr className="bg-sunken/60 text-xs text-muted">
                  <th scope="col" className="px-4 py-2 text-left font-medium">
                    What they may do
                  </th>
                  {ROLES.map((role) => (
                    <th
                      key={role}
                      scope="col"
                      className={cn('px-2 py-2 text-center font-medium whitespace-nowrap md:last:pr-4', onPhone(role))}
                    >
                      {ROLE_NAMES[role]}
                    </th>
                  ))}
                </tr>
              </thead>
              {roleTable(saved.data?.options ?? []).map(({ heading, rows }) => (
                <tbody key={heading}>
                  <tr className="border-t border-line">
                    <th
                      scope="rowgroup"
                      colSpan={ROLES.length + 1}
                      className="px-4 pt-4 pb-1.5 text-left font-semibold"
                    >
                      {heading}
                    </th>
                  </tr>
                  {rows.map((row) => (
                    <tr key={row.permission} className="border-t border-line">
                      <th scope="row" className="px-4 py-2 text-left font-normal">
                        {row.label}
                      </th>
                      {row.cells.map((cell) => (
                        <td key={cell.role} className={cn('px-2 py-2 text-center md:last:pr-4', onPhone(cell.role))}>
                          <Mark label={row.label} cell={cell} isLoading={!saved.data} choose={choose} />
                        </td>
                      ))}
                    </tr>
                  ))}
                </tbody>
              ))}
            </table>
          </div>
          <p className="border-t border-line px-4 py-3 text-[13px] text-muted">
            The boxes of practitioners are yours to tick: each takes effect at once, for all of them.
          </p>
        </>
      )}
    </Card>
  );
}

type MarkProps = { label: string; cell: RoleCell; isLoading: boolean; choose: Choose };

function Mark({ label, cell: { isHeld, option }, isLoading, choose }: MarkProps) {
  if (option)
    return isLoading ? (
      <Skeleton className="mx-auto size-5" />
    ) : (
      <Checkbox
        className="justify-center gap-0!"
        label={<span className="sr-only">{practitionersMay(label)}</span>}
        checked={isHeld}
        onCheckedChange={(isOn) => choose({ option, label, isOn })}
      />
    );
  const Icon = isHeld ? Check : Minus;
  return (
    <>
      <Icon aria-hidden className={cn('inline size-4', isHeld ? 'text-good-ink' : 'text-muted opacity-60')} />
      <span className="sr-only">{isHeld ? 'Yes' : 'No'}</span>
    </>
  );
}
