#include "tui/views/view.h"

#include <stdio.h>
#include <stdlib.h>

#include "config/memory.h"
#include "config/text.h"

void *view_new(const struct view_ops *ops, size_t size, const char *cluster, const char *path)
{
    struct view *view = xcalloc(1, size);

    view->ops = ops;
    view->cluster = text_copy(cluster);
    view->path = text_copy(path);
    return view;
}

void view_free(struct view *view)
{
    if (view->ops->release != NULL)
        view->ops->release(view);
    free(view->cluster);
    free(view->path);
    free(view);
}

enum view_result view_open(struct view **next, struct view *opened)
{
    *next = opened;
    return opened != NULL ? VIEW_OPEN : VIEW_IGNORED;
}

const struct election *view_election(const struct view *view, const struct scene *scene)
{
    return model_find(scene->model, view->cluster, view->path);
}

const char *view_name(const struct view *view, const struct scene *scene)
{
    const struct election *election = view_election(view, scene);

    return election != NULL ? election->name : view->path;
}

bool view_has_paths(const struct view *view)
{
    return view->path != NULL || view->ops->path != NULL;
}

const char *view_path(struct view *view, const struct scene *scene, char *buffer, size_t size)
{
    if (view->ops->path != NULL)
        return view->ops->path(view, scene, buffer, size);
    if (view->path == NULL || snprintf(buffer, size, "%s", view->path) >= (int)size)
        return NULL;
    return view->cluster;
}
