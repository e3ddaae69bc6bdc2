/*
 * web: the parts of the HTML report that are not the document: the page's frame, style and
 * viewer as they stand in this folder, put into the program by embed.S. For format/ only.
 */
#ifndef WEB_WEB_H
#define WEB_WEB_H

extern const char web_page_html[], web_page_html_end[];
extern const char web_page_css[], web_page_css_end[];
extern const char web_page_js[], web_page_js_end[];
extern const char web_picture_js[], web_picture_js_end[]; /* of SVG, not of the page */

#endif
