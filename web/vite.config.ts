import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

// The server embeds dist and sends it with a strict policy: nothing inline, no
// data: address, no polyfill that would insert a script.
export default defineConfig({
  plugins: [react()],
  // Its version for browsers decodes &amp; by setting innerHTML, which the policy forbids.
  resolve: { alias: { "decode-named-character-reference": fileURLToPath(new URL("node_modules/decode-named-character-reference/index.js", import.meta.url)) } },
  build: {
    target: ["chrome123", "firefox121", "safari17.5"],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2000, // the reader of PDFs, which is loaded with the first PDF
  },
  server: { proxy: Object.fromEntries(["/api", "/openapi.json", "/docs"].map((path) => [path, "http://127.0.0.1:23529"])) },
  test: { include: ["src/**/*.test.ts"], testTimeout: 300_000, hookTimeout: 300_000 }, // reached by a failure only
});
