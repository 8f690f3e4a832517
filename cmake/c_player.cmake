# quartozero_c_player_source(OUTPUT): writes OUTPUT, the source with model/c_player.h.in as text (model/c_player_source.h).
function(quartozero_c_player_source output)
  set(template ${PROJECT_SOURCE_DIR}/model/c_player.h.in)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${template})
  file(READ ${template} c_player)
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT [[
#include "model/c_player_source.h"

const char* const quarto::kCPlayerSource = R"--c--(@c_player@)--c--";
]])
endfunction()
