/* Pivots of a panel by a tournament: each tile proposes rows, and of two proposals the rows that
 * partial pivoting would choose among them go on. */
#ifndef TW_LA_TOURNAMENT_H
#define TW_LA_TOURNAMENT_H

#include "la/lu/panel.h"

/* Bytes of work space for a panel of so many tiles of order nb, for a team of at most `members`. */
size_t tw_tournament_bytes(int64_t tiles, int64_t nb, size_t element, int members);

/* Factor the panel; as tw_panel_factor, with work space that the team shares. */
void tw_tournament_factor(const tw_panel *p, twill_team *team, void *work);

#endif
