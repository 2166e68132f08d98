// The browsers that may answer and take changes back, and the way to take that from one.
import { useMutation, useQuery } from "@tanstack/react-query";
import * as api from "../../api/client";
import { useInfo, useRefresh } from "../../app-state";
import { ago } from "../../ui/format";
import { ErrorNotice } from "../../ui/parts";
import { announce } from "../shell/announce";

export function Devices() {
  const refresh = useRefresh();
  const { data = [], error, isPending } = useQuery({ queryKey: ["devices"], queryFn: ({ signal }) => api.devices(signal), retry: false });
  const operator = useInfo().data?.operator;
  const remove = useMutation({
    mutationFn: (id: string) => api.removeDevice(id),
    onSuccess: () => { announce("Removed."); refresh("devices"); },
  });
  const leave = useMutation({ mutationFn: api.logout, onSuccess: () => location.assign("/") });
  return (
    <section>
      <p className="soft small">Browsers that opened a one-time link. Each may answer questions and take changes back. “belay open” prints a link for another one, “belay open --phone” also as a code for a camera.</p>
      {error && <ErrorNotice error={error} />}
      {remove.error && <ErrorNotice error={remove.error} onClose={() => remove.reset()} />}
      {leave.error && <ErrorNotice error={leave.error} onClose={() => leave.reset()} />}
      {!isPending && !error && data.length === 0 && <p className="soft">No browser has been let in by a link.</p>}
      {data.length > 0 && (
        <ul className="closed-list devices">
          {data.map((d) => (
            <li key={d.id} className="device" data-device={d.id}>
              <div className="grow">
                <p>{d.label}{d.current && <span className="chip accent here">this browser</span>}</p>
                <p className="soft small">used {ago(d.lastSeenAt) === "now" ? "just now" : <>{ago(d.lastSeenAt)} ago</>} · until {new Date(d.expiresAt).toLocaleDateString()}</p>
              </div>
              {d.current
                ? <button type="button" id="logout" className="button" disabled={leave.isPending} onClick={() => leave.mutate()}>Log out</button>
                : <button type="button" className="button danger" aria-label={`Remove ${d.label}`} disabled={remove.isPending} onClick={() => remove.mutate(d.id)}>Remove</button>}
            </li>
          ))}
        </ul>
      )}
      {operator === false && <p className="soft small">This browser has not been let in. Run “belay open” on the server's machine and open its link here.</p>}
    </section>
  );
}
