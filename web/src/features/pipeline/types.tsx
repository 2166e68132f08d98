// The types of a category. Those that cannot be chosen stay in sight, with the reason (14.4).
import type { Category } from "../../api/pipeline";

export function Types({ category, chosen, onChoose }: { category: Category; chosen: string; onChoose: (id: string) => void }) {
  const without = category.types?.find((t) => t.setting);
  return (
    <fieldset className="types" aria-label={category.selector}>
      {category.types?.map((t) => (
        <div key={t.id} className="type" data-type={t.id} data-enabled={t.enabled}>
          <label>
            <input type="radio" name={`type-${category.id}`} value={t.id} checked={t.enabled && t.id === chosen} disabled={!t.enabled} onChange={() => onChoose(t.id)} />
            <span className="type-name">{t.label}</span>
            {t.enabled
              ? t.description && <span className="soft small type-about">{t.description}</span>
              : <span className="soft small type-about">{t.reason}</span>}
          </label>
        </div>
      ))}
      {without && <p className="soft small types-setting">The setting <a href="/settings?show=server"><code>{without.setting}</code></a> names the folder with the files of agents.</p>}
    </fieldset>
  );
}
