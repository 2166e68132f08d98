<<<<<<<< HEAD:web/dist/assets/pipeline-CJgsfbSt.js
import{L as e}from"./index-BOBSfGPO.js";var t=e();function n({project:e,item:n}){return(0,t.jsx)(`div`,{className:`scroll`,children:(0,t.jsxs)(`div`,{className:`project-column`,children:[(0,t.jsx)(`h2`,{children:`Pipeline`}),(0,t.jsxs)(`p`,{children:[e.name,` `,n]})]})})}export{n as default};
========
import{E as e}from"./index-B8QWjJhb.js";var t=e();function n({project:e,item:n}){return(0,t.jsx)(`div`,{className:`scroll`,children:(0,t.jsxs)(`div`,{className:`project-column`,children:[(0,t.jsx)(`h2`,{children:`Pipeline`}),(0,t.jsxs)(`p`,{children:[e.name,` `,n]})]})})}export{n as default};
>>>>>>>> files:web/dist/assets/pipeline-SQvMeJq0.js
