<<<<<<<< HEAD:web/dist/assets/history-BhFeZ3tJ.js
import{Y as e}from"./index-KMZoQdDJ.js";var t=e();function n({project:e,item:n}){return(0,t.jsx)(`div`,{className:`scroll`,children:(0,t.jsxs)(`div`,{className:`project-column`,children:[(0,t.jsx)(`h2`,{children:`History`}),(0,t.jsxs)(`p`,{children:[e.name,` `,n]})]})})}export{n as default};
========
import{L as e}from"./index-DAtrgoBi.js";var t=e();function n({project:e,item:n}){return(0,t.jsx)(`div`,{className:`scroll`,children:(0,t.jsxs)(`div`,{className:`project-column`,children:[(0,t.jsx)(`h2`,{children:`History`}),(0,t.jsxs)(`p`,{children:[e.name,` `,n]})]})})}export{n as default};
>>>>>>>> portal:web/dist/assets/history-t46CTMUq.js
