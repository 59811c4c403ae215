"use strict";
SwaggerUIBundle({ url: "/openapi.json", dom_id: "#docs", deepLinking: false, validatorUrl: null });
