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
import { lazyComponent } from '#web/ui/lazy-component.ts';
import { PlainSelect } from '#web/ui/plain-select.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { toast } from '#web/ui/toast.ts';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { ROLE_NAMES, ROLE_OPTIONS, useMe } from '../me.tsx';
import { needsTwoSteps, practitionersMay, type RoleCell, roleTable, withOption } from './role-table.ts';

const TITLE = 'What each role may do';

type Choice = { option: PractitionerOption; label: string; isOn: boolean };
type Choose = (choice: Choice) => void;
const doneMessage = ({ label, isOn }: Choice) => practitionersMay(label, isOn ? 'now' : 'no longer');

const ConfirmDialog = lazyComponent(() => import('#web/ui/confirm-dialog.tsx').then((module) => module.ConfirmDialog));

/** Saves one choice at once: it shows before the server answers, and is reverted when it could not be saved. */
function useSaveChoice() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const queryKey = trpc.team.practitionerOptions.queryKey({});
  const show = (option: PractitionerOption, isOn: boolean) =>
    queries.setQueryData(queryKey, (saved) => saved && { options: withOption(saved.options, option, isOn) });
  return useMutation({
    // One after the other: each answer has all options.
    scope: { id: 'practitioner-options' },
    onMutate: async ({ option, isOn }: Choice) => {
      await queries.cancelQueries({ queryKey });
      show(option, isOn);
    },
    mutationFn: ({ option, isOn }: Choice) => client.team.setPractitionerOption.mutate({ option, allowed: isOn }),
    onSuccess: (saved) => void queries.setQueryData(queryKey, saved),
    onError: (_error, { option, isOn }) => {
      show(option, !isOn);
      // The response may have been lost after the server saved.
      return queries.invalidateQueries({ queryKey });
    },
  });
}

/** Who may do what. Wide screens show all roles next to each other, phones the one that is chosen. */
export function RolesCard() {
  const trpc = useTRPC();
  const saved = useQuery(trpc.team.practitionerOptions.queryOptions({}));
  const save = useSaveChoice();
  const { environment } = useMe();
  const [asked, setAsked] = useState<Choice | null>(null);
  const choose: Choose = (choice) => {
    // Practitioners without two-step sign-in would be stopped at once.
    if (choice.isOn && environment === 'production' && needsTwoSteps(choice.option)) setAsked(choice);
    else
      save.mutate(choice, {
        onSuccess: () => toast.success(doneMessage(choice)),
        onError: (error) => toast.error(firstErrorMessage(error)),
      });
  };
  const [phoneRole, setPhoneRole] = useState<Role>('practitioner');
  const onPhone = (role: Role) => role !== phoneRole && 'max-md:hidden';
  return (
    <Card aria-label={TITLE} className="mt-5 overflow-hidden">
      <CardHeader
        title={TITLE}
        description={`${environment === 'sandbox' ? 'Outside of this sandbox, a' : 'A'} colleague who may refund, export, administer or read the audit log signs in with two steps. A changed role takes effect at once: they sign in again.`}
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
            You decide the three boxes of practitioners. Each takes effect at once, for all of them.
          </p>
        </>
      )}
      {asked && (
        <ConfirmDialog
          title={`${practitionersMay(asked.label)}?`}
          description="Practitioners without two-step sign-in have to set it up before they can go on, at once."
          confirmLabel="Allow it"
          confirmVariant="primary"
          keepLabel="Not now"
          act={() => save.mutateAsync(asked)}
          done={doneMessage(asked)}
          refresh={async () => {}}
          onClose={() => setAsked(null)}
        />
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
